import type { Frame } from '../props.ts'
import { type Markup, markup } from './markup.ts'

type Links = readonly (readonly [href: string, name: string])[]

const ownPages: Links = [
  ['/inbox', 'Inbox'],
  ['/grants', 'Permissions'],
  ['/connections', 'Connections'],
  ['/browsers', 'Browsers'],
  ['/passkeys', 'Passkeys'],
  ['/tokens', 'Programs'],
  ['/audit', 'Audit'],
]

const consolePages: Links = [
  ['/console', 'Overview'],
  ['/console/live', 'Live'],
  ['/console/servers', 'Servers'],
  ['/console/tools', 'Tools'],
  ['/console/policy', 'Policy'],
  ['/console/questions', 'Questions'],
  ['/console/permissions', 'Permissions'],
  ['/console/connections', 'Connections'],
  ['/console/people', 'People'],
  ['/console/instances', 'Instances'],
  ['/console/audit', 'Audit'],
]

/**
 * The pages that a person can go to; for an administrator also the console, and in it the pages of the console. The
 * keyboard can skip them.
 */
export function navigation({ viewer, path = '' }: Frame): Markup {
  if (viewer === undefined) return markup``
  const isInConsole = viewer.isAdmin === true && /^\/console(\/|$)/.test(path)
  const current = (href: string) => href === path && markup` aria-current="page"`
  const link = ([href, name]: Links[number]) => markup`<a href="${href}"${current(href)}>${name}</a>`
  const toConsole = markup`<a href="/console"${isInConsole && markup` aria-current="true"`}>Console</a>`
  return markup`<header class="bar"><a class="skip" href="#main">Skip to the page</a><nav aria-label="Pages">${ownPages.map(link)}${viewer.isAdmin === true && toConsole}</nav>
${isInConsole && markup`<nav aria-label="Console">${consolePages.map(link)}</nav>`}</header>
`
}
