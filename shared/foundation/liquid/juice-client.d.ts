/** The variant of juice without what fetches remote resources. It has the types of the other one. */
declare module "juice/client" {
  export { default } from "juice";
}
