/** Files in the folder of a run that both the browser's side and the suites know. */

/** The notifications that are in sight, as a list of texts in JSON. */
export const notificationsFile = 'notifications.json';
