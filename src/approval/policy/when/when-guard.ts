import type { ASTNode } from '@marcbachmann/cel-js'
import { hintNames } from '../hints.ts'

/** What an expression does, as far as its cost and its trust go. */
export interface Survey {
  /** How deep comprehensions are nested. */
  readonly loops: number
  /** Whether it makes lists out of text. */
  readonly splits: boolean
  /** Whether it looks for one text of the call within another. */
  readonly searches: boolean
  /** Items of all lists and maps written in it. */
  readonly literals: number
  readonly readsAnnotations: boolean
  /** The patterns it gives to `re2`. */
  readonly patterns: readonly string[]
}

/** An expression that must not be used, in words for whoever wrote it. */
export class WhenRefused extends Error {}

const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])
const searches = new Set(['contains', 'indexOf', 'lastIndexOf', 'split'])
const functions = new Set('has size type string int double bool dyn timestamp duration'.split(' '))
const methods = new Set([
  ...loops,
  ...searches,
  ...'size startsWith endsWith lowerAscii upperAscii trim substring join re2'.split(' '),
  ...'getFullYear getMonth getDate getDayOfWeek getHours getMinutes getSeconds'.split(' '),
])
const mostLoops = 2

/** The fields of what is known beforehand, so that a slip of the pen is found at start and not at the first call. */
const fields: Readonly<Record<string, readonly string[]>> = {
  requester: ['participant', 'client', 'groups', 'agents'],
  annotations: hintNames,
}

/** Walks the whole expression and throws `WhenRefused` at what could hang, or could never mean what it says. */
export function surveyWhen(ast: ASTNode): Survey {
  const survey = { loops: 0, splits: false, searches: false, literals: 0, readsAnnotations: false }
  const patterns: string[] = []
  visit(ast, 0, new Set())
  return { ...survey, patterns }

  function visit(node: ASTNode, depth: number, bound: ReadonlySet<string>): void {
    if (node.op === 'id' && node.args === 'annotations' && !bound.has(node.args)) survey.readsAnnotations = true
    if (node.op === '.') checkField(node.args[0], node.args[1], bound)
    if (node.op === 'call' && !functions.has(node.args[0])) throw new WhenRefused(refusedFunction(node.args[0]))
    if (node.op === 'list' || node.op === 'map') survey.literals += node.args.length
    // `in` also finds text within text.
    if (node.op === 'in' && node.args[0].op !== 'value' && node.args[1].op !== 'list') survey.searches = true
    if (node.op === 'rcall') visitMethod(node.args, depth, bound)
    else for (const part of partsOf(node)) visit(part, depth, bound)
  }

  function visitMethod(
    [name, receiver, given]: [string, ASTNode, ASTNode[]],
    depth: number,
    bound: ReadonlySet<string>,
  ): void {
    if (!methods.has(name)) throw new WhenRefused(refusedFunction(name))
    visit(receiver, depth, bound)
    if (name === 'split') survey.splits = true
    if (name === 're2') patterns.push(literalText(given[0]))
    if (searches.has(name) && given[0]?.op !== 'value') survey.searches = true
    if (loops.has(name)) visitLoop(given, depth + 1, bound)
    else for (const argument of given) visit(argument, depth, bound)
  }

  function visitLoop([variable, ...bodies]: ASTNode[], depth: number, bound: ReadonlySet<string>): void {
    if (depth > mostLoops) throw new WhenRefused(`Comprehensions are nested at most ${mostLoops} deep.`)
    survey.loops = Math.max(survey.loops, depth)
    const inner = new Set(bound).add(String(variable?.args))
    for (const body of bodies) visit(body, depth, inner)
  }
}

function partsOf({ args }: ASTNode): ASTNode[] {
  return [args].flat(2).filter((part): part is ASTNode => typeof part === 'object' && part !== null && 'op' in part)
}

function checkField(owner: ASTNode, field: string, bound: ReadonlySet<string>): void {
  if (owner.op !== 'id' || bound.has(owner.args)) return
  const known = fields[owner.args]
  if (known === undefined || known.includes(field)) return
  throw new WhenRefused(`"${owner.args}" has no "${field}". It has ${known.join(', ')}.`)
}

function refusedFunction(name: string): string {
  if (name === 'matches') {
    return '"matches" can take for ever on some text. Use re2 instead, such as args.path.re2(\'^/tmp/\').'
  }
  return `"${name}" is not a function of this language. It has ${[...functions, ...methods].join(', ')}.`
}

function literalText(node: ASTNode | undefined): string {
  if (node?.op === 'value' && typeof node.args === 'string') return node.args
  throw new WhenRefused('The pattern of re2 must be written out as text.')
}
