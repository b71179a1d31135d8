import { cached } from './cache.ts'
import { accentsOf, grounds } from './color.ts'

/** The styles of a page, with the installation's accent colour; `more` are styles of this page only. */
export function styleOf(primaryColor: string, more = ''): string {
  return common(primaryColor) + minified(more)
}

const common = cached(styleFor)
const minified = cached(minifyCss)

function styleFor(primaryColor: string): string {
  const accents = accentsOf(primaryColor)
  return minifyCss(`
    :root { ${variables('light', accents.light, light)} }
    @media (prefers-color-scheme: dark) { :root { ${variables('dark', accents.dark, dark)} } }
    ${rules}`)
}

const light = {
  text: '#14171c',
  soft: '#565d6a',
  line: '#dcdfe4',
  edge: '#838a97',
  quiet: '#f4f5f7',
  bad: '#b3261e',
  'bad-quiet': '#fdf1f0',
  warn: '#7a5200',
  'warn-quiet': '#fff7e3',
  'warn-line': '#ecd28f',
  good: '#146c3a',
}

const dark: typeof light = {
  text: '#e8eaee',
  soft: '#a3aab7',
  line: '#2d3138',
  edge: '#737b89',
  quiet: '#1f2227',
  bad: '#ffa198',
  'bad-quiet': '#2b1a1a',
  warn: '#f0c566',
  'warn-quiet': '#282110',
  'warn-line': '#57471d',
  good: '#74d39b',
}

function variables(scheme: keyof typeof grounds, accent: string, others: typeof light): string {
  const all = { ...grounds[scheme], ...others, accent }
  return Object.entries(all)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ')
}

/** CSS without needless whitespace. */
export function minifyCss(css: string): string {
  return css
    .replace(/\n\s*/g, '')
    .replace(/\s*([{};,])\s*/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
}

const rules = `
  *, ::before, ::after { box-sizing: border-box; }
  html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%; }
  body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; background: var(--page); color: var(--text); overflow-wrap: anywhere; }
  main { width: 100%; max-width: 32rem; }
  .sheet { padding: 32px; background: var(--sheet); border: 1px solid var(--line); border-radius: 12px; }
  .bar { width: 100%; background: var(--sheet); border-bottom: 1px solid var(--line); }
  .bar nav { display: flex; gap: 20px; width: min(72rem, 100% - 32px); margin: auto; overflow-x: auto; scrollbar-width: none; }
  .bar a { flex: none; padding: 11.5px 0; min-height: 44px; color: var(--soft); font-size: .875rem; text-decoration: none; }
  .bar a:hover, .bar [aria-current] { color: var(--text); }
  .bar [aria-current] { font-weight: 600; box-shadow: inset 0 -2px var(--accent); }
  .bar a:focus-visible { outline-offset: -2px; }
  .bar .skip { position: absolute; padding: 11.5px 16px; background: var(--sheet); }
  .skip:not(:focus) { clip-path: inset(50%); }
  @media (min-width: 33rem) { main, footer { width: calc(100% - 32px); } main { margin-top: clamp(24px, 6vh, 64px); } }
  @media (max-width: 32.99rem) { body { background: var(--sheet); } .sheet { padding: 24px 20px; border: 0; border-radius: 0; } footer { border-top: 1px solid var(--line); } }
  h1, h2, p, ul, ol, dl, dd, figure, blockquote, fieldset, legend { margin: 0; padding: 0; border: 0; }
  ul, ol { list-style: none; }
  h1 { font-size: 1.5rem; line-height: 1.3; font-weight: 650; letter-spacing: -.011em; text-wrap: balance; }
  h2 { font-size: 1rem; font-weight: 600; }
  strong { font-weight: 600; }
  a { color: var(--accent); text-underline-offset: 3px; text-decoration-thickness: 1px; }
  code, .code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
  p code { padding: 2px 5px; border-radius: 4px; background: var(--quiet); }
  .icon { flex: none; display: block; }
  .stack > * + * { margin-top: 24px; }
  .close > * + * { margin-top: 8px; }
  .soft { color: var(--soft); }
  .small { font-size: .875rem; }
  time { white-space: nowrap; }
  [hidden] { display: none !important; }

  .asker { display: flex; gap: 12px; align-items: center; }
  .asker + h1 { margin-top: 20px; }
  .asker strong { display: block; line-height: 1.4; }
  .asker span span { display: block; color: var(--soft); font-size: .875rem; line-height: 1.4; }
  .badge { flex: none; display: grid; place-items: center; width: 40px; height: 40px; border: 1px solid var(--line); border-radius: 10px; color: var(--soft); }
  .badge.good { color: var(--good); }
  .badge.bad { color: var(--bad); }
  .lead { margin-top: 8px; }
  .quote { padding: 12px 16px; background: var(--quiet); border-left: 3px solid var(--edge); border-radius: 2px 8px 8px 2px; }
  .quote figcaption { display: flex; gap: 6px; align-items: center; margin-bottom: 4px; color: var(--soft); font-size: .8125rem; }
  .quote .icon { width: 16px; height: 16px; }
  .quote blockquote { white-space: pre-wrap; }
  mark { padding: 0 3px; border-radius: 3px; border: 1px solid var(--warn-line); background: var(--warn-quiet); color: var(--warn); font: 600 .75em/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: nowrap; }
  .warning, .errors { display: flex; gap: 10px; padding: 12px 16px; border: 1px solid var(--warn-line); border-radius: 8px; background: var(--warn-quiet); color: var(--warn); }
  .warning .icon, .errors .icon { margin-top: 2px; }
  .errors { border-color: var(--bad); background: var(--bad-quiet); color: var(--bad); }
  .errors a { color: inherit; display: inline-block; padding: 2px 0; }

  .field > label, .field > legend { display: block; font-weight: 600; }
  .optional { font-weight: 400; color: var(--soft); }
  .hint { color: var(--soft); font-size: .875rem; }
  .field > .hint { margin-top: 2px; }
  .field > input, .field > select, .field > textarea, .secret { margin-top: 8px; }
  .problem { display: flex; gap: 6px; margin-top: 6px; color: var(--bad); font-size: .875rem; }
  .problem .icon { width: 16px; height: 16px; margin-top: 2.5px; }
  input, select, textarea, button { font: inherit; color: inherit; }
  input:where(:not([type=checkbox], [type=radio])), select, textarea { display: block; width: 100%; min-height: 44px; padding: 9px 12px; background: var(--sheet); border: 1px solid var(--edge); border-radius: 8px; }
  select { appearance: none; padding-right: 36px; background: var(--sheet) url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='12' height='8' fill='none' stroke='%23838a97' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='m1.5 1.5 4.5 4.5 4.5-4.5'/%3E%3C/svg%3E") no-repeat right 14px center; }
  textarea { min-height: 92px; resize: vertical; }
  input::placeholder, textarea::placeholder { color: var(--soft); opacity: 1; }
  [aria-invalid=true]:not([type=checkbox], [type=radio]) { border-color: var(--bad) !important; box-shadow: inset 0 0 0 1px var(--bad); }
  .secret { display: flex; gap: 8px; }
  .secret button { flex: none; min-width: 72px; }
  .choices { margin-top: 8px; border: 1px solid var(--line); border-radius: 8px; }
  .choices li + li { border-top: 1px solid var(--line); }
  .choice { display: flex; gap: 12px; min-height: 44px; padding: 9px 12px; cursor: pointer; }
  .choice input { flex: none; width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--accent); }
  .choice:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: 8px; }
  .choice :focus-visible { outline: 0; }
  .choices[data-bad] { border-color: var(--bad); }

  button, .button { display: inline-flex; align-items: center; justify-content: center; min-height: 44px; padding: 9px 16px; border: 1px solid var(--edge); border-radius: 8px; background: var(--sheet); color: var(--text); font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; transition: background-color .1s, border-color .1s; }
  button:hover, .button:hover { background: var(--quiet); border-color: var(--text); }
  .accept { background: var(--accent); border-color: var(--accent); color: var(--sheet); }
  .accept:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); border-color: transparent; }
  .accept.destroys { background: var(--bad); border-color: var(--bad); }
  .destroy { color: var(--bad); }
  .destroy:hover { background: var(--bad-quiet); border-color: var(--bad); }
  button:disabled { opacity: .5; cursor: default; }
  .plain { border-color: transparent; background: none; color: var(--soft); font-weight: 400; text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset: 3px; }
  .plain:hover { background: none; border-color: transparent; color: var(--text); }
  .answers { display: flex; flex-wrap: wrap; gap: 12px; }
  .answers.accept-first { flex-direction: row-reverse; }
  .answers > button { flex: 1 1 calc(50% - 6px); }
  .answers > .plain { flex-basis: 100%; margin: -4px 0 -12px; }
  .accept-first > .plain { order: 1; }
  .left { display: flex; gap: 10px; padding-top: 20px; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
  .left .icon { width: 18px; height: 18px; margin-top: 1.5px; }
  .left time { color: var(--text); font-variant-numeric: tabular-nums; }
  .left [data-time=left] { font-weight: 600; }
  .tool { margin-top: 8px; }
  .tool code { padding: 2px 5px; border-radius: 4px; background: var(--quiet); }
  .rule { white-space: nowrap; }
  .facts { border: 1px solid var(--line); border-radius: 8px; }
  .facts > div { padding: 10px 12px; }
  .facts > div + div { border-top: 1px solid var(--line); }
  .facts dt { color: var(--soft); white-space: pre-wrap; }
  .facts dd { margin-top: 2px; }
  .value { display: block; white-space: pre-wrap; }
  .change { display: grid; grid-template-columns: 1fr auto 1fr; gap: 12px; }
  .change del { color: var(--soft); }
  .change ins { text-decoration: none; font-weight: 600; }
  .edits label bdi, .edits legend bdi, .edits input, .edits textarea { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .9375rem; }
  .edits textarea { min-height: 44px; resize: none; field-sizing: content; }
  .edit > .hint { margin: 8px 0 4px; }
  .edit > .facts { background: var(--quiet); border-color: transparent; }
  summary { min-height: 44px; padding: 10px 0; color: var(--soft); cursor: pointer; }
  summary:hover { color: var(--text); }
  .more { margin-top: 4px; }
  .more > .choices { margin-top: 0; }
  .more > .field { padding-bottom: 4px; }
  .votes, .numbered { padding-left: 20px; list-style: disc; }
  .numbered { padding-left: 24px; list-style: decimal; }
  .preview blockquote { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
  .warning a { color: inherit; }
  .scopes li { padding: 9px 12px; }
  .scopes li + li { border-top: 1px solid var(--line); }
  .scopes { margin-top: 8px; border: 1px solid var(--line); border-radius: 8px; }
  .rows > li { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; justify-content: space-between; padding: 16px 0; border-top: 1px solid var(--line); }
  .rows > li:last-child { border-bottom: 1px solid var(--line); }
  .rows > li > :first-child { flex: 1 1 11rem; }
  .verdict { display: flex; gap: 10px; color: var(--good); }
  .verdict .icon { margin-top: 2px; }
  .tag { display: inline-block; padding: 1px 8px; border: 1px solid var(--line); border-radius: 99px; font-size: .8125rem; font-weight: 400; color: var(--soft); white-space: nowrap; }
  .tag.warn { border-color: var(--warn-line); background: var(--warn-quiet); color: var(--warn); }

  footer { width: 100%; max-width: 32rem; padding: 16px 20px 24px; color: var(--soft); font-size: .8125rem; }
  @media (min-width: 33rem) { footer { padding: 16px 33px 32px; } }
  footer .plain { padding: 0; font-size: .8125rem; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  .errors:focus { outline: 2px solid var(--bad); outline-offset: 2px; }
  @media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
  @media (forced-colors: active) { .accept { border-width: 2px; } mark, .quote { forced-color-adjust: auto; border: 1px solid; } }
`
