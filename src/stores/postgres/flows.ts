import type { Flow } from '../../connection/flow/flow.ts'
import { type FlowRow, flowColumns, fromFlowRow, toFlowRow } from '../rows/flow.ts'
import { canBeKept, type Database, type Statement } from './database.ts'

const row = flowColumns.join(', ')

const add: Statement = {
  name: 'assent_flow_add',
  text: `insert into assent_flow (${row}) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
}

const take: Statement = {
  name: 'assent_flow_take',
  text: `delete from assent_flow where id = $1 returning ${row}`,
}

// Skipping what is locked, two who clean up at once share the work and cannot block each other.
const deleteOver: Statement = {
  name: 'assent_flow_delete',
  text: `
    delete from assent_flow where id in (
      select id from assent_flow where expires_at < $1
      order by expires_at limit $2
      for update skip locked)`,
}

/** False: one with this id is kept already. */
export async function addFlow(database: Database, flow: Flow): Promise<boolean> {
  const row = toFlowRow(flow)
  const values = flowColumns.map((column) => row[column])
  return (await database.query(add, values)).rowCount === 1
}

/** Of many who take it at once, one gets it: the others wait for that one's row lock, and find nothing. */
export async function takeFlow(database: Database, id: string): Promise<Flow | undefined> {
  if (!canBeKept(id)) return undefined
  const [taken] = (await database.query<FlowRow>(take, [id])).rows
  return taken && fromFlowRow(taken)
}

/** Returns how many. */
export async function deleteFlows(database: Database, moment: Date, limit: number): Promise<number> {
  return (await database.query(deleteOver, [moment.getTime(), limit])).rowCount ?? 0
}
