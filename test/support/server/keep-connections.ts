/**
 * For `createServer`: idle connections stay open. By default the server closes them after five seconds, and on a busy
 * machine a request may be on its way just then.
 */
export const keepConnections = { keepAliveTimeout: 0 }
