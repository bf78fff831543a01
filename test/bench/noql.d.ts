/** The package has no types. */
declare module "@synatic/noql" {
  const compiler: { parseSQL(text: string): unknown };
  export = compiler;
}
