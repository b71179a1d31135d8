import type { Json } from '../../base/json.ts'
import type { TelemetryOptions } from '../options.ts'

/** A key and its value, as OTLP writes them in JSON. */
export interface KeyValue {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Values that are no text, number, true or false are written as JSON. */
export function keyValues(facts: Readonly<Record<string, Json | undefined>>): KeyValue[] {
  return Object.entries(facts).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))
}

function anyValue(value: Json): KeyValue['value'] {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  // 64-bit numbers are text in the JSON of protocol buffers.
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { stringValue: JSON.stringify(value) }
}

export function resourceOf({ serviceName, serviceVersion, instance }: TelemetryOptions): { attributes: KeyValue[] } {
  return {
    attributes: keyValues({
      'service.name': serviceName,
      'service.version': serviceVersion,
      'service.instance.id': instance,
    }),
  }
}

/** Nanoseconds since 1970, of milliseconds with fractions. */
export function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`
}
