/** Where people reach our pages, and what an installation may change about them. */
export interface PageSettings {
  /** Without a slash at its end. */
  readonly publicUrl: string
  /** First part of the path of every question's page. */
  readonly prefix: string
  /** The last part of the path of a page that has another one than its name. */
  readonly names: Readonly<Record<string, string>>
  /** The color of buttons and links, as CSS writes it. */
  readonly primaryColor: string
  /** The name at the top of every page. */
  readonly title: string
}

export const defaultPages: PageSettings = {
  publicUrl: 'http://127.0.0.1:4180',
  prefix: 'elicit',
  names: {},
  primaryColor: '#007bff',
  title: 'Assent',
}

/** The address of a page about one question. */
export function pageUrl({ publicUrl, prefix, names }: PageSettings, id: string, page: string): string {
  return `${publicUrl}/${prefix}/${id}/${Object.hasOwn(names, page) ? names[page] : page}`
}
