import { isPlainObject } from '../../../base/json.ts'
import type { PreviewRule } from '../policy.ts'
import type { Reading, Settings } from '../reading.ts'
import { isArgumentPath } from './argument-path.ts'

const mostArguments = 50

/** The tool that is called before a question is asked, and with what. */
export function readPreview(settings: Settings, reading: Reading): PreviewRule | undefined {
  return settings.read('preview', (value, at) => {
    if (!isPlainObject(value)) {
      const tool = settings.text('preview')
      return tool === undefined ? undefined : Object.freeze({ tool })
    }
    const given = reading.settings(value, at, ['tool', 'arguments'])
    if (!given.has('tool')) given.report('tool', 'This must name the tool that shows the preview.')
    const tool = given.text('tool') ?? ''
    const mapped = given.read('arguments', (entries) => {
      if (!isPlainObject(entries) || Object.keys(entries).length > mostArguments) {
        return given.report('arguments', `This must be an object of at most ${mostArguments} arguments.`)
      }
      for (const [name, one] of Object.entries(entries)) {
        const isPlain = typeof one === 'boolean' || (typeof one === 'number' && Number.isFinite(one))
        if (isPlain || (typeof one === 'string' && isArgumentPath(one))) continue
        const words = 'This must be the path of an argument, such as args.path, or a number, true or false.'
        reading.report([...at, 'arguments', name], words)
      }
      return Object.freeze({ ...entries }) as NonNullable<PreviewRule['arguments']>
    })
    return Object.freeze({ tool, ...(mapped !== undefined && { arguments: mapped }) })
  })
}
