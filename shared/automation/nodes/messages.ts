import { NodeError } from "../engine/node-error.ts";
import type { Execute } from "./node.ts";

export const notify: Execute<"notify"> = () => {
  throw new NodeError("not_available", "Automations cannot send notifications yet.");
};

export const sendEmail: Execute<"send_email"> = () => {
  throw new NodeError("not_available", "Automations cannot send email yet.");
};
