/** The record without its undefined entries, as JSON would say it, and for good. */
export function present<T extends object>(record: { [Key in keyof T]: T[Key] | undefined }): T {
  return Object.freeze(Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))) as T
}
