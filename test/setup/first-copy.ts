import type { Copy } from "#shared/tenant/counted-writes";

/** The data of an ordinary organization that was never restored or moved. */
export const firstCopy = (organization_id: string): Copy => ({ organization_id, generation: null, is_sandbox: false });
