import { squeeze } from '../layout/style.ts'

/** What the inbox looks like beyond other pages: a list, and on a wide screen the open question beside it. */
export const inboxStyle = squeeze(`
  main.inbox { max-width: 40rem; }
  .stack > .waiting { margin: 16px -12px 0; }
  .waiting:empty { display: none; }
  .waiting li + li { border-top: 1px solid var(--line); }
  .row { display: block; padding: 14px 12px; border-radius: 8px; color: var(--text); text-decoration: none; }
  .row:hover { background: var(--quiet); }
  .row[aria-current] { background: var(--quiet); box-shadow: inset 3px 0 0 var(--accent); }
  .row:focus-visible { outline-offset: -2px; }
  .row > span { display: block; }
  .what { display: flex !important; gap: 16px; justify-content: space-between; align-items: baseline; }
  .what > :last-child { flex: none; }
  .line { margin-top: 2px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  .done { padding: 10px 16px; border: 1px solid var(--line); border-radius: 8px; }
  .keys { display: block; margin-bottom: 8px; }
  kbd { padding: 1px 5px; border: 1px solid var(--line); border-radius: 4px; font: inherit; }
  .back a { display: inline-flex; align-items: center; min-height: 44px; margin: -12px 0; }
  .open > * + * { margin-top: 24px; }
  @media (hover: none), (max-width: 63.99rem) { .keys { display: none; } }
  @media (max-width: 63.99rem) { .has-open .list { display: none; } .inbox.has-open { max-width: 32rem; } }
  @media (min-width: 64rem) { main.has-open { display: grid; grid-template-columns: 26rem 32rem; gap: 16px; justify-content: center; align-items: start; max-width: 62rem; } .back { display: none; } .open > .back + * { margin-top: 0; } main.has-open + footer { max-width: 59rem; } }
  @media (min-width: 33rem) { main.inbox:not(.has-open) + footer { max-width: 40rem; } }
`)
