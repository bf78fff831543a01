export const other = async () => "never";
