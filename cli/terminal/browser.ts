/** Opens a page in the person's browser. @throws Error if no browser can be started */
export const openBrowser = async (url: string): Promise<void> => {
  const { default: open } = await import("open");
  const browser = await open(url);
  // The browser reports later errors itself. Without a listener they would end this process.
  browser.on("error", () => undefined);
  if (browser.pid === undefined) throw new Error("No browser could be started.");
};
