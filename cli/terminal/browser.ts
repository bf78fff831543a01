/** Shows a page in the person's browser. @throws Error when none can be started */
export const openBrowser = async (url: string): Promise<void> => {
  const { default: open } = await import("open");
  const browser = await open(url);
  // What goes wrong once it runs is told by the browser; without a listener it would end this process.
  browser.on("error", () => undefined);
  if (browser.pid === undefined) throw new Error("No browser could be started.");
};
