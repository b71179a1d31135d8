import { markup } from '../layout/markup.ts'
import type { Frame } from '../props.ts'
import { consoleDocument, nothing, part } from './console-frame.ts'
import { type EventRow, eventsTable } from './events-table.ts'

/** What happened last, newest first; with a script, as it happens. */
export function livePage(frame: Frame, { rows }: { readonly rows: readonly EventRow[] }): string {
  return consoleDocument(frame, {
    title: 'Live',
    lead: 'The latest calls, questions and other events of all processes, newest first. With scripts, the list follows what happens.',
    live: 'events',
    body: markup`<p><a class="button" href="/console/live">Load again</a></p>${part('Events', rows.length === 0 ? nothing('Nothing has happened yet.') : eventsTable(frame, 'Events', rows))}`,
  })
}
