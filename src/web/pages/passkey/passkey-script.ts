import { minifyScript } from '../layout/script.ts'

/**
 * Signs a form with a passkey before it is posted. A form names in `data-sign` where it gets what to sign, and one that
 * makes a passkey is marked `data-create`. What the server refuses is posted as it is, so that its page says why.
 */
export const passkeyScript = minifyScript(`
const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (one) => one.charCodeAt(0))
const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=+$/, '')
const withIds = (list) => (list || []).map((one) => ({ ...one, id: bytesOf(one.id) }))
const json = ({ id, type }, response) => JSON.stringify({ id, rawId: id, type, clientExtensionResults: {}, response })
async function signed(request) {
  const publicKey = { ...request, challenge: bytesOf(request.challenge), allowCredentials: withIds(request.allowCredentials) }
  const credential = await navigator.credentials.get({ publicKey })
  const { clientDataJSON, authenticatorData, signature } = credential.response
  return json(credential, { clientDataJSON: textOf(clientDataJSON), authenticatorData: textOf(authenticatorData), signature: textOf(signature) })
}
async function created(creation) {
  const publicKey = {
    ...creation,
    challenge: bytesOf(creation.challenge),
    user: { ...creation.user, id: bytesOf(creation.user.id) },
    excludeCredentials: withIds(creation.excludeCredentials),
  }
  const credential = await navigator.credentials.create({ publicKey })
  const { clientDataJSON, attestationObject } = credential.response
  const transports = credential.response.getTransports?.() || []
  return json(credential, { clientDataJSON: textOf(clientDataJSON), attestationObject: textOf(attestationObject), transports })
}
const put = (form, name, value) => {
  const field = form.querySelector('input[name="' + name + '"]') || form.appendChild(document.createElement('input'))
  field.type = 'hidden'
  field.name = name
  field.value = value
}
const problems = {
  NotAllowedError: 'No passkey was used. Try again, and use one that is listed under Passkeys.',
  InvalidStateError: 'This device has a passkey here already.',
  SecurityError: 'This browser uses no passkeys at this address.',
}
// A browser may ask for a click of its own before it makes a passkey, so what was signed before is kept.
const begun = new WeakMap()
async function askPasskey(form, submitter) {
  if (!navigator.credentials) throw { name: 'SecurityError' }
  let what = begun.get(form)
  if (!what) {
    const body = new URLSearchParams(new FormData(form))
    if (submitter?.name) body.set(submitter.name, submitter.value)
    const response = await fetch(form.dataset.sign, { method: 'POST', body, headers: { accept: 'application/json' } })
    if (!response.ok) return
    what = await response.json()
    if (what.confirmation) {
      put(form, 'confirmedBy', await signed(what.confirmation.request))
      put(form, 'confirmation', what.confirmation.ceremony)
    }
    if (what.creation) begun.set(form, what)
  }
  put(form, 'assertion', what.creation ? await created(what.creation) : await signed(what.request))
  put(form, 'ceremony', what.ceremony)
}
addEventListener('submit', async (event) => {
  const form = event.target
  const { submitter } = event
  if (!form.dataset.sign || event.defaultPrevented || submitter?.value === 'decline' || submitter?.value === 'delegate') return
  event.preventDefault()
  const problem = form.querySelector('[data-problem]')
  problem.hidden = true
  try {
    await askPasskey(form, submitter)
    if (submitter?.name) put(form, submitter.name, submitter.value)
    form.submit()
  } catch (error) {
    sent.delete(form)
    problem.hidden = false
    problem.textContent = problems[error.name] || 'The passkey could not be used. Try again.'
    submitter?.focus()
  }
})
`)
