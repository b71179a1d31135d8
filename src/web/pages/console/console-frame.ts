import { documentOf } from '../layout/frame.ts'
import { type Markup, markup } from '../layout/markup.ts'
import { minifyScript } from '../layout/script.ts'
import { minifyCss } from '../layout/style.ts'
import type { Frame } from '../props.ts'

/** One page of the console. */
export interface ConsoleSheet {
  readonly title: string
  /** One sentence that says what the page shows. */
  readonly lead?: Markup | string
  readonly body: Markup
  /** Its script loads the page again while somebody looks: every five seconds, or when something happened. */
  readonly live?: 'timer' | 'events'
}

/** A whole page of the console. */
export function consoleDocument(frame: Frame, { title, lead, body, live }: ConsoleSheet): string {
  const heading = markup`<div><h1>${title}</h1>${lead !== undefined && markup`<p class="lead soft">${lead}</p>`}</div>`
  const id = live !== undefined && markup` id="live" data-live="${live}"`
  return documentOf(frame, title, markup`${heading}<div class="parts"${id}>${body}</div>`, {
    layout: 'console stack',
    style: consoleStyle,
    ...(live !== undefined && { script: liveScript }),
  })
}

/** A titled part of a page. */
export function part(title: string, body: Markup, note?: Markup | string): Markup {
  return markup`<section class="part"><h2>${title}</h2>${note !== undefined && markup`<p class="soft small">${note}</p>`}${body}</section>`
}

/** A table that scrolls by itself where the screen is narrow. The first column names the row. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (Markup | string)[])[],
): Markup {
  const cells = ([first, ...others]: readonly (Markup | string)[]) =>
    markup`<tr><th scope="row">${first}</th>${others.map((cell) => markup`<td>${cell}</td>`)}</tr>`
  return markup`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${head.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(cells)}</tbody></table></div>`
}

/** Says that there is nothing, which is often good. */
export function nothing(words: string): Markup {
  return markup`<p class="soft">${words}</p>`
}

const consoleStyle = minifyCss(`
  .console { max-width: 72rem; padding: 0 0 8px; }
  .console + footer { max-width: 72rem; padding-left: 0; padding-right: 0; }
  @media (max-width: 32.99rem) { .console { padding: 24px 20px; } .console + footer { padding: 16px 20px; } }
  .parts > * + * { margin-top: 24px; }
  .part { padding: 20px; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; }
  .part > * + * { margin-top: 12px; }
  .part > h2 + p { margin-top: 2px; }
  @media (max-width: 32.99rem) { .part { padding: 20px 0 0; border-width: 1px 0 0; border-radius: 0; } }
  .pair { display: grid; gap: 24px; align-items: start; }
  @media (min-width: 56rem) { .pair { grid-template-columns: 1fr 1fr; } }
  .figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 16px; }
  .figures dt { color: var(--soft); font-size: .875rem; }
  .figures dd { white-space: nowrap; font-size: 1.5rem; line-height: 1.3; font-weight: 650; font-variant-numeric: tabular-nums; }
  .part h2 .code { font-weight: inherit; }
  .facts del { color: var(--soft); }
  .facts ins { text-decoration: none; }
  .scroll { overflow-x: auto; }
  table { width: 100%; border-collapse: collapse; font-size: .875rem; }
  caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  th, td { padding: 8px 16px 8px 0; border-top: 1px solid var(--line); text-align: left; font-weight: 400; vertical-align: top; overflow-wrap: normal; }
  thead th { border-top: 0; color: var(--soft); white-space: nowrap; }
  tbody th { min-width: 9rem; overflow-wrap: anywhere; }
  @media (max-width: 32.99rem) { tbody th { min-width: 6rem; } th time { white-space: normal; } }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
  .ranges { display: flex; flex-wrap: wrap; gap: 8px; }
  .ranges a { display: inline-flex; align-items: center; min-height: 44px; padding: 0 14px; border: 1px solid var(--line); border-radius: 8px; color: var(--soft); font-size: .875rem; text-decoration: none; }
  .ranges a[aria-current] { border-color: var(--accent); color: var(--text); font-weight: 600; }
  .chart svg { display: block; width: 100%; height: 160px; border-bottom: 1px solid var(--edge); }
  .axis { display: flex; justify-content: space-between; color: var(--soft); font-size: .8125rem; }
  .key { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 8px; font-size: .875rem; }
  .key li { display: flex; gap: 8px; align-items: center; }
  .key svg { width: 12px; height: 12px; border: 0; }
  .of-done { fill: var(--accent); }
  .of-failed { fill: var(--bad); }
  .of-refused { fill: var(--warn); }
  .of-left-to-client { fill: var(--edge); }
  .plainly dd { white-space: normal; font-size: 1rem; font-weight: 400; }
  .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); gap: 16px; align-items: end; }
  progress { display: block; width: 100%; height: 12px; margin: 8px 0; accent-color: var(--accent); }
  td p + p, td details { margin-top: 4px; }
  td summary { padding: 10px 0; }
  .meter { display: block; width: 100%; min-width: 6rem; height: 8px; margin-top: 6px; }
  .meter rect { fill: var(--accent); }
  @media (forced-colors: active) { .chart rect, .meter rect { fill: CanvasText; stroke: Canvas; } }
`)

/**
 * Loads the page again, and puts what is new in its place. Not while somebody works in it: what has the focus stays, as
 * does what is selected. What is folded open stays open.
 */
const liveScript = minifyScript(`
let isLoading = false
let isMissed = false
async function reloadPart() {
  const live = document.getElementById('live')
  const isBusy = live.contains(document.activeElement) || getSelection().toString() !== '' || live.querySelector('td details[open]')
  if (isLoading || document.hidden || isBusy) return void (isMissed = true)
  isLoading = true
  isMissed = false
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    const fresh = response.ok && new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = fresh && fresh.getElementById('live')
    if (fresh && !next) return location.reload()
    if (next) {
      const opened = all('details', live).map((one) => one.open)
      for (const [at, one] of all('details', next).entries()) one.open = opened[at] ?? false
      document.documentElement.dataset.now = fresh.documentElement.dataset.now
      live.replaceWith(next)
      showTimes(next)
    }
  } catch {}
  isLoading = false
}
if (document.getElementById('live').dataset.live === 'timer') setInterval(reloadPart, 5000)
else {
  new EventSource('/console/live/events').addEventListener('changed', reloadPart)
  setInterval(() => { if (isMissed) reloadPart() }, 2000)
}
`)
