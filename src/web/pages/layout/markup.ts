import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML that is safe to put into a page. */
export type Markup = HtmlEscapedString

/** HTML with everything put into it escaped, unless it is markup itself. Nothing in our pages is waited for. */
export const markup = (strings: TemplateStringsArray, ...values: readonly unknown[]): Markup =>
  html(strings, ...values) as Markup

/** For constants of ours only: nothing in it is escaped. */
export const constant = (ours: string): Markup => raw(ours)
