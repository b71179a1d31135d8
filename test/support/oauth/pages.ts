import { html } from 'hono/html'

/** Where a person says who they are: any name will do. */
export function loginPage(uid: string, client: string): string {
  return page(
    'Sign in',
    html`<p>to go on to ${client}</p>
      <form method="post" action="/interaction/${uid}/login">
        <label>Account <input name="account" required autofocus /></label>
        <button>Sign in</button>
      </form>`,
  )
}

/** Where a person lets a client have what it asks for; scopes that are unticked are not granted. */
export function consentPage(uid: string, client: string, account: string, scopes: readonly string[]): string {
  const boxes = scopes.map(
    (scope) => html`<label><input type="checkbox" name="scope" value="${scope}" checked /> ${scope}</label><br />`,
  )
  return page(
    `Allow ${client}?`,
    html`<p>Signed in as ${account}</p>
      <form method="post" action="/interaction/${uid}/consent">
        ${boxes}
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny">Deny</button>
      </form>`,
  )
}

function page(title: string, body: unknown): string {
  return String(
    html`<!doctype html>
      <html lang="en">
        <head><meta charset="utf-8" /><title>${title}</title></head>
        <body><main><h1>${title}</h1>${body}</main></body>
      </html>`,
  )
}
