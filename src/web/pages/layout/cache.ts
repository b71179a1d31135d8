/** What strangers can choose, such as a language, must not fill the memory. */
const most = 100

/** The same function of a text, which makes again only what it has not made before. */
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
