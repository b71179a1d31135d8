/** One definition of a tool, as its server offered it. */
export interface Sighting {
  /** Digest of everything that the server says of the tool. */
  readonly digest: string
  /** The definition as JSON. */
  readonly definition: string
  /** When it was seen first. */
  readonly at: Date
}

/** What is known of one tool of one server: what it offers now, and what of it an administrator allowed. */
export interface KnownDefinition {
  readonly server: string
  readonly tool: string
  /** 1 at first, one more with each save. */
  readonly version: number
  /** When the tool was seen for the first time. */
  readonly firstSeen: Date
  /** How often its definition has changed since. */
  readonly changes: number
  /** The definition that was offered last. */
  readonly seen: Sighting
  /** The definition that an administrator allowed last; absent if none was. `at` is when it was allowed. */
  readonly allowed?: Sighting
}

/** Stores what is known of tools, one record for each tool of each server, for all processes. Never reads the clock. */
export interface DefinitionStore {
  get(server: string, tool: string): Promise<KnownDefinition | undefined>
  /** Everything known of one server, in any order. */
  list(server: string): Promise<KnownDefinition[]>
  /** Everything known of all servers, in any order. */
  listAll(limit: number): Promise<KnownDefinition[]>
  /** Saves version 1 only where there is none, a later one only over the version before. False: someone else was first. */
  saveIfUnchanged(next: KnownDefinition): Promise<boolean>
  /** Deletes what is known of one tool. False if nothing was. */
  remove(server: string, tool: string): Promise<boolean>
}
