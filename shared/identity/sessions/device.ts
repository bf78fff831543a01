/** From where somebody talks to the platform. */
export interface Device {
  /** An IP address. */
  readonly address: string;
  /** What the client says it is. */
  readonly user_agent?: string | undefined;
}

const USER_AGENT_LENGTH = 300;

/** As it is stored: short enough, whatever a client sends. */
export const storedDevice = ({ address, user_agent = "" }: Device): { address: string; user_agent: string } => ({
  address,
  user_agent: user_agent.slice(0, USER_AGENT_LENGTH),
});
