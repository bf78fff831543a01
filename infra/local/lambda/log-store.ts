const mostLines = 2000;

/** The last log lines of each function. */
export const logStore = (onLine: (functionName: string, line: string) => void) => {
  const lines = new Map<string, string[]>();
  return {
    write: (functionName: string, text: string): void => {
      const kept = lines.get(functionName) ?? [];
      lines.set(functionName, kept);
      for (const line of text.split("\n")) {
        if (line === "") continue;
        kept.push(line);
        onLine(functionName, line);
      }
      if (kept.length > mostLines * 2) kept.splice(0, kept.length - mostLines);
    },
    read: (functionName: string): readonly string[] => lines.get(functionName)?.slice(-mostLines) ?? [],
  };
};
