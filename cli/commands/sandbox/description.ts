import { readSource } from "../../data/input.ts";

/** Text, or the content of a file after an @. */
export const readDescription = async (given: string | undefined): Promise<string | undefined> =>
  given?.startsWith("@") ? (await readSource(undefined, given.slice(1)))?.text : given;
