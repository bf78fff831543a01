/**
 * Settings of a client whose calls must not be carried out twice. One attempt: the SDK would also repeat a call whose
 * answer was lost. A connection for each call: one that was kept may have been closed by the service meanwhile (the
 * more so while the execution environment was frozen), and then nobody knows whether the call has arrived.
 */
export const sentOnce = {
  maxAttempts: 1,
  requestHandler: { httpAgent: { keepAlive: false }, httpsAgent: { keepAlive: false } },
};
