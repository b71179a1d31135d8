import { minifyCss } from '../layout/style.ts'

/** Styles of the inbox only: the list, and on a wide screen the opened question beside it. */
export const inboxStyle = minifyCss(`
  main.inbox { max-width: 40rem; }
  .stack > .waiting { margin: 16px -12px 0; }
  .waiting:empty { display: none; }
  .row { position: relative; padding: 14px 12px 10px; border-radius: 8px; }
  .row + .row::before { content: ""; position: absolute; inset: 0 0 auto; border-top: 1px solid var(--line); }
  .waiting > .more { margin: 0; padding: 0 12px; border-top: 1px solid var(--line); }
  .more a, .other a { display: inline-flex; align-items: center; min-height: 44px; }
  .client { padding: 24px 12px 0; overflow-wrap: anywhere; }
  .client h2 { margin: 0; font-size: 1rem; }
  .row:hover { background: var(--quiet); }
  .row[data-current] { background: var(--quiet); box-shadow: inset 3px 0 0 var(--accent); }
  .what { display: flex; gap: 16px; justify-content: space-between; align-items: baseline; }
  .what > :last-child { flex: none; }
  .line { margin-top: 2px; }
  .row li { padding-left: 1em; text-indent: -1em; white-space: pre-wrap; }
  .do { display: flex; gap: 8px; align-items: center; margin-top: 6px; }
  .do a { flex: 1; display: flex; align-items: center; min-height: 44px; font-weight: 600; text-decoration: none; }
  .row:hover a { text-decoration: underline; }
  .do a::after { content: ""; position: absolute; inset: 0; border-radius: 8px; }
  .do a:focus-visible { outline: 0; }
  .do a:focus-visible::after { outline: 2px solid var(--accent); outline-offset: -2px; }
  .row[data-current] a { color: var(--soft); }
  .do button { position: relative; z-index: 1; min-width: 124px; padding: 9px 12px; }
  .do .choice { position: relative; z-index: 1; }
  .pick { position: sticky; bottom: 0; padding: 12px 0; background: var(--sheet); }
  .pick > * { flex: 1 1 calc(50% - 6px); }
  .what .tag { margin-left: 6px; }
  .done { padding: 10px 16px; border: 1px solid var(--line); border-radius: 8px; }
  .done li + li { margin-top: 8px; }
  .keys { display: block; margin-bottom: 8px; }
  kbd { padding: 1px 5px; border: 1px solid var(--line); border-radius: 4px; font: inherit; }
  .back { margin: -12px 0; }
  .back a { display: inline-flex; align-items: center; min-height: 44px; }
  .open > * + * { margin-top: 24px; }
  @media (hover: none), (max-width: 63.99rem) { .keys { display: none; } }
  @media (max-width: 63.99rem) { .has-open .list { display: none; } .inbox.has-open { max-width: 32rem; } }
  @media (min-width: 64rem) { main.has-open { display: grid; grid-template-columns: 26rem 32rem; gap: 16px; justify-content: center; align-items: start; max-width: 62rem; } .back { display: none; } .open > .back + * { margin-top: 0; } main.has-open + footer { max-width: 59rem; } }
  @media (min-width: 33rem) { main.inbox:not(.has-open) + footer { max-width: 40rem; } }
`)
