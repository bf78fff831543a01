// Fails as often as it is told in its variables, and logs each attempt.
let attempts = 0;
export const handler = async (event) => {
  attempts += 1;
  console.log(JSON.stringify({ attempt: attempts, event }));
  if (attempts <= Number(process.env.FAILURES)) throw new Error(`attempt ${attempts} fails`);
  return attempts;
};
