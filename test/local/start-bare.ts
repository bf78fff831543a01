import { explain, start } from "../../infra/start.ts";

await start(async () => []).catch((error: unknown) => {
  explain(error);
  process.exit(1);
});
