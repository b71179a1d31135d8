import { defaultLimits } from '../../elicitation/limits.ts'
import { defaultPages } from '../../elicitation/page-settings.ts'

/** The value of each setting that is left out. docs/configuration.md lists the same values, and a test compares them. */
export const defaults = {
  listen: '127.0.0.1:4180',
  store: 'sqlite:.assent/assent.db',
  policy: { mode: 'enforce', default: 'ask', fallback: 'inbox' },
  clocks: {
    question: '10m',
    browserFlow: '10m',
    signIn: '1h',
    upstreamAsk: '60s',
    upstreamSilence: '30m',
    hold: '45s',
    park: '60s',
    unspentYes: '1h',
    state: '15m',
    track: '300s',
    skew: '10s',
  },
  limits: {
    openPerRequester: defaultLimits.openPerRequester,
    openPerParticipant: defaultLimits.openPerParticipant,
    asksPerMinute: 60,
    bodyBytes: 4_194_304,
    pagesPerAddress: 300,
    pagesPerPerson: 600,
  },
  elicitation: { enabled: true, urlBy: 'push' },
  retain: { settled: '30d', audit: '400d' },
  metrics: { allow: [] as readonly string[] },
  pages: {
    primaryColor: defaultPages.primaryColor,
    title: defaultPages.title,
    prefix: defaultPages.prefix,
  },
} as const
