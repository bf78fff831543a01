/** Where a request comes from. */
export interface Device {
  /** An IP address. */
  readonly address: string;
  /** The User-Agent header. */
  readonly user_agent?: string | undefined;
}

const USER_AGENT_LENGTH = 300;

/** As it is stored, with the user agent cut to its maximum length. */
export const storedDevice = ({ address, user_agent = "" }: Device): { address: string; user_agent: string } => ({
  address,
  user_agent: user_agent.slice(0, USER_AGENT_LENGTH),
});
