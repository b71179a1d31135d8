export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const line = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (nan|[+-]?inf|[+-]?[0-9.e+-]+)(?: \d+)?$/i
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y

/** Reads the text format 0.0.4 as strictly as Prometheus does: every line must be one, and every name declared once. */
export function readPrometheus(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('The last line has no end')
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const each of text.split('\n')) {
    if (each === '' || each.startsWith('# HELP ')) continue
    if (each.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = each.split(' ')
      if (types.has(name)) throw new Error(`${name} is declared twice`)
      types.set(name, type)
      continue
    }
    const found = line.exec(each)
    if (found === null) throw new Error(`Not a line of metrics: ${each}`)
    const [, name = '', labels = '', value = ''] = found
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
    if (!types.has(family)) throw new Error(`${name} has no type`)
    samples.push({ name, labels: readLabels(labels), value: Number(value.replace(/inf/i, 'Infinity')) })
  }
  return samples
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < text.length) {
    const at = label.lastIndex
    const found = label.exec(text)
    if (found === null) throw new Error(`Not labels: ${text.slice(at)}`)
    labels[found[1] as string] = found[2] as string
  }
  return labels
}
