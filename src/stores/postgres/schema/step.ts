/** One step of the schema. It never changes once released, and must leave a schema that the previous version can use. */
export interface Migration {
  readonly version: number
  readonly sql: string
}
