import { minifyScript } from '../layout/script.ts'

/**
 * Keeps the list up to date, and lets a person clear it with the keyboard. The open question stays untouched, unless
 * somebody else answered it. A key only focuses a button that destroys; it never presses it. A click that comes just
 * after the rows moved is dropped, as it was meant for the row that was there before.
 */
export const inboxScript = minifyScript(`
const part = (id, within = document) => within.getElementById(id)
let isFetching = false
let isStale = false
async function refresh() {
  isStale = true
  if (isFetching) return
  isFetching = true
  while (isStale) {
    isStale = false
    try {
      const response = await fetch(location.href, { headers: { accept: 'text/html' } })
      if (!response.ok) break
      show(new DOMParser().parseFromString(await response.text(), 'text/html'))
    } catch { break }
  }
  isFetching = false
}
function show(fresh) {
  if (!part('waiting', fresh)) return location.reload()
  const focused = document.activeElement?.getAttribute?.('href')
  document.documentElement.dataset.now = fresh.documentElement.dataset.now
  document.title = fresh.title
  if (part('count').textContent !== part('count', fresh).textContent) part('count').textContent = part('count', fresh).textContent
  const before = rows().map((row) => row.href).join()
  const ticked = new Set(all('#waiting :checked').map((box) => box.value))
  part('waiting').replaceWith(part('waiting', fresh))
  for (const box of all('#waiting input')) box.checked = ticked.has(box.value)
  if (before !== rows().map((row) => row.href).join()) movedAt = performance.now()
  showTimes(part('waiting'))
  rows().find((row) => row.getAttribute('href') === focused)?.focus()
  const [now, next] = [part('open'), part('open', fresh)]
  if (now && next && now.dataset.over !== next.dataset.over) {
    now.replaceWith(next)
    showTimes(next)
  } else {
    const [seen, votes] = [part('votes'), part('votes', fresh)]
    if (seen && votes && seen.dataset.shown !== votes.dataset.shown) seen.replaceWith(votes)
  }
}
const live = new EventSource('/inbox/events')
live.addEventListener('changed', refresh)

let movedAt = -Infinity
addEventListener('click', (event) => {
  if (event.target.form?.id === 'answer' && performance.now() - movedAt < 700) event.preventDefault()
}, true)

const rows = () => all('#waiting .do a')
const isTyping = ({ target }) => target.matches('input:not([type=radio], [type=checkbox]), textarea, select')
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event)) return
  const here = rows().indexOf(document.activeElement)
  const current = here < 0 ? rows().findIndex((row) => row.hasAttribute('aria-current')) : here
  const row = rows()[current]
  const press = (value) => {
    const isInList = row && !row.hasAttribute('aria-current')
    const within = isInList ? row.closest('li') : document.querySelector('#open')
    const button = within?.querySelector('button[value=' + value + ']')
    if (!button) return isInList ? row.click() : undefined
    if (button.disabled) return
    button.focus()
    if (!button.classList.contains('destroys')) button.click()
  }
  if (event.key === 'j') (rows()[Math.min(current + 1, rows().length - 1)] ?? rows()[0])?.focus()
  else if (event.key === 'k') rows()[Math.max(current - 1, 0)]?.focus()
  else if (event.key === 'a') press('accept')
  else if (event.key === 'd') press('decline')
  else if (event.key === 'x') row?.closest('li').querySelector('input')?.click()
  else return
  event.preventDefault()
})
`)
