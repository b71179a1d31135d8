/** Bounded, because strangers choose some of the keys, such as a language. */
const most = 100

/** Caches the results of a function of a text. */
export function cached<Made>(make: (text: string) => Made): (text: string) => Made {
  const made = new Map<string, Made>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    const now = make(text)
    if (made.size >= most) made.clear()
    made.set(text, now)
    return now
  }
}
