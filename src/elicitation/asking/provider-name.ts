import { BadConfig } from '../../base/errors.ts'

const longest = 32
const pattern = /^[a-z0-9-]+$/

/** What a provider's name is made of, for error messages. */
export const providerNameRule = `lower-case letters, digits and "-", ${longest} characters at most`

/** Whether it can name a provider. The name is part of urls, of records, and of what credentials are sealed for. */
export function isProviderName(name: string): boolean {
  return name.length <= longest && pattern.test(name)
}

/** Refuses the settings of a provider whose name could not be used, and suggests another name. */
export function checkProviderName(name: string): void {
  if (isProviderName(name)) return
  const similar = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '')
  const suggestion = similar === '' ? '' : `, such as "${similar}"`
  throw new BadConfig(`"${name}" cannot name a provider. Use ${providerNameRule}${suggestion}.`, [name])
}
