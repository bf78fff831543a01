/** It brings no types of its own. */
declare module "@synatic/noql" {
  const compiler: { parseSQL(text: string): unknown };
  export = compiler;
}
