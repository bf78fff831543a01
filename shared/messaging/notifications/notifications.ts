/** Devices, preferences and lists of users, and what is sent to them. */

export { deliverToRecipients } from "./deliver.ts";
export { removeDevice, setDevice } from "./devices.ts";
export { fireSetting } from "./fire.ts";
export { listNotifications } from "./list.ts";
export { readPreferences, setPreferences } from "./preferences.ts";
export { sendToDevice } from "./send-to-device.ts";
export { fireSettings } from "./settings.ts";
