import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'

/** HTML that is safe to put into a page. */
export type Markup = HtmlEscapedString

/** A template for HTML that escapes its values, except markup. No value is a promise, so neither is the result. */
export const markup = (strings: TemplateStringsArray, ...values: readonly unknown[]): Markup =>
  html(strings, ...values) as Markup

/** HTML that is not escaped. For constants in this code only. */
export const constant = (ours: string): Markup => raw(ours)
