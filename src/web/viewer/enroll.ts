import type { PageSettings } from '../../elicitation/page-settings.ts'
import { type CodeParts, makeCode, readCode } from './one-time-code.ts'

const linkMs = 10 * 60_000
const identity = 'web/enroll'

/** What is needed to make an enrollment link. */
export interface EnrollParts extends CodeParts {
  readonly pages: Pick<PageSettings, 'publicUrl'>
}

/** A link that enrolls one browser for the local person, once, within ten minutes; `next` is the path to open then. */
export async function enrollLink(parts: EnrollParts, next?: string): Promise<string> {
  const code = await makeCode(parts, identity, linkMs, next === undefined ? {} : { next })
  return `${parts.pages.publicUrl}/enroll?code=${encodeURIComponent(code)}`
}

/** The contents of a link that has not expired. */
export const readEnrollCode = (parts: CodeParts, text: string | undefined) => readCode(parts, identity, text)
