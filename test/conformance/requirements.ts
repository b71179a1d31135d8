import { baseProtocol } from './requirements/base.ts'
import { elicitation } from './requirements/elicitation.ts'
import type { Requirements } from './requirements/requirement.ts'
import { security } from './requirements/security.ts'
import { transports } from './requirements/transports.ts'

/**
 * Everything that the protocol asks of what we build, by the id that code and tests cite. The first two digits are the
 * revision: 06 for 2025-06-18, 11 for 2025-11-25, 26 for 2026-07-28.
 */
export const requirements: Requirements = { ...elicitation, ...baseProtocol, ...transports, ...security }
