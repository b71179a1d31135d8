import { approvePageName } from '../../approval/approval.ts'
import { approvalIn } from '../../approval/question/subject.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { PageSettings } from '../../elicitation/page-settings.ts'
import { connectPath } from './connect-path.ts'

/** The path of the page that answers a question; undefined for a question that is answered at another site. */
export function questionPath({ prefix, names }: PageSettings, asked: Elicitation): string | undefined {
  const { id, question } = asked
  if (question.mode === 'url' && question.connect) return connectPath(question.connect.provider, id)
  const page = pageFor(asked)
  if (page === undefined) return undefined
  return `/${prefix}/${id}/${Object.hasOwn(names, page) ? names[page] : page}`
}

/** An approval has its own page, even where a client may show it as a form. */
function pageFor(asked: Elicitation): string | undefined {
  const { question } = asked
  if (question.mode === 'url') return question.page
  return approvalIn(asked) === undefined ? 'form' : approvePageName
}
