import { type Context, Environment, ParseError, type ParseResult } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import type { ToolCall } from '../../tool-call.ts'
import { hintsOf } from '../hints.ts'
import { isLighterThan } from './weigh.ts'
import { type Survey, surveyWhen, WhenRefused } from './when-guard.ts'

/** A condition over a call, checked and ready. */
export interface When {
  readonly readsAnnotations: boolean
  /** Never throws, and ends soon, whatever the arguments. */
  judge(call: ToolCall): boolean | WhenFailed
}

/** Nobody can tell whether the condition holds. The words may hold parts of the arguments. */
export interface WhenFailed {
  readonly failed: string
}

const longestPattern = 500
/** RE2 takes about 7 µs for a character at worst. */
const mostCharactersForRe2 = 20_000
/** About a nanosecond each. */
const mostSteps = 5e7

const language = new Environment({
  limits: { maxAstNodes: 300, maxDepth: 32, maxListElements: 200, maxMapEntries: 100, maxCallArguments: 8 },
})
  .registerVariable('args', 'map')
  .registerVariable('server', 'string')
  .registerVariable('tool', 'string')
  .registerVariable('requester', 'map')
  .registerVariable('annotations', 'map<string, bool>')

/** Checks a CEL expression and makes it ready, or says why it must not be used, and what to write instead. */
export function compileWhen(source: string): When | { readonly refused: string } {
  try {
    return compile(source)
  } catch (error) {
    return { refused: refusalWords(error) }
  }
}

function compile(source: string): When {
  let patterns: ReadonlyMap<string, RE2JS> = new Map()
  let charactersLeft = 0
  const environment = language.clone().registerFunction('string.re2(string): bool', (text: string, pattern: string) => {
    charactersLeft -= text.length
    if (charactersLeft < 0) throw new Error(`re2 reads at most ${mostCharactersForRe2} characters a call`)
    return (patterns.get(pattern) as RE2JS).test(text)
  })

  const expression = environment.parse(source)
  const survey = surveyWhen(expression.ast)
  const { type, error } = expression.check()
  if (error !== undefined) throw error
  if (type !== 'bool') throw new WhenRefused('It must be true or false. Compare it with something, such as == true.')
  patterns = new Map(survey.patterns.map((pattern) => [pattern, compilePattern(pattern)]))

  return {
    readsAnnotations: survey.readsAnnotations,
    judge(call) {
      const context = contextOf(call)
      if (!isAffordable(context, survey)) return { failed: 'the arguments are too large for it' }
      charactersLeft = mostCharactersForRe2
      return evaluate(expression, context)
    },
  }
}

function evaluate(expression: ParseResult, context: Context): boolean | WhenFailed {
  try {
    return expression(context)
  } catch (error) {
    return { failed: summaryOf(error) }
  }
}

function contextOf({ requester, groups = [], server, tool, arguments: args, annotations }: ToolCall): Context {
  const { participant, client, agents = [] } = requester
  return {
    args,
    server,
    tool,
    requester: { participant, client, groups: [...groups], agents: [...agents] },
    annotations: hintsOf(annotations),
  }
}

/** Only comprehensions, and looking for text in text, can take more time than reading the arguments once. */
function isAffordable({ args, requester }: Context, { loops, splits, searches, literals }: Survey): boolean {
  if (loops === 0 && !searches) return true
  return isLighterThan([args, requester], (items, characters) => {
    const turns = (items + literals + (splits ? characters : 0)) ** loops
    const reading = items + literals + characters
    return turns * reading * (searches ? reading : 1) <= mostSteps
  })
}

function compilePattern(pattern: string): RE2JS {
  if (pattern.length > longestPattern) throw new WhenRefused(`A pattern has at most ${longestPattern} characters.`)
  return RE2JS.compile(pattern)
}

function refusalWords(error: unknown): string {
  if (error instanceof WhenRefused) return error.message
  const place = error instanceof ParseError && error.range !== undefined ? ` at character ${error.range.start + 1}` : ''
  return `It cannot be read${place}: ${summaryOf(error)}.`
}

/** Errors of the language tell the place over several lines, and what is wrong in one. */
function summaryOf(error: unknown): string {
  const { summary, message } = error as Error & { summary?: string }
  return summary ?? message
}
