import type { Flow } from '../../connection/flow/flow.ts'
import { type FlowRow, flowColumns, fromFlowRow, toFlowRow } from '../rows/flow.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const row = flowColumns.join(', ')

const add: PostgresStatement = {
  name: 'assent_flow_add',
  text: `insert into assent_flow (${row}) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
}

const take: PostgresStatement = {
  name: 'assent_flow_take',
  text: `delete from assent_flow where id = $1 returning ${row}`,
}

// Locked rows are skipped, so that two concurrent clean-ups share the work and do not block each other.
const deleteOver: PostgresStatement = {
  name: 'assent_flow_delete',
  text: `
    delete from assent_flow where id in (
      select id from assent_flow where expires_at < $1
      order by expires_at limit $2
      for update skip locked)`,
}

/** False if a flow with this id exists already. */
export async function addFlowRow(database: PostgresDatabase, flow: Flow): Promise<boolean> {
  const row = toFlowRow(flow)
  const values = flowColumns.map((column) => row[column])
  return (await database.query(add, values)).rowCount === 1
}

/** Of concurrent callers one gets the flow: the others wait for its row lock, and then find nothing. */
export async function takeFlowRow(database: PostgresDatabase, id: string): Promise<Flow | undefined> {
  if (!isStorableText(id)) return undefined
  const [taken] = (await database.query<FlowRow>(take, [id])).rows
  return taken && fromFlowRow(taken)
}

/** Returns how many flows were deleted. */
export async function deleteFlowRows(database: PostgresDatabase, moment: Date, limit: number): Promise<number> {
  return (await database.query(deleteOver, [moment.getTime(), limit])).rowCount ?? 0
}
