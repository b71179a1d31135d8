import { minifyScript } from '../pages/layout/script.ts'

/**
 * Shows what a push message says, and opens the page that it names. It keeps no page and no answer: where the server
 * cannot be reached, it says so.
 */
export const workerScript = minifyScript(`'use strict'
const offline = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Not reachable</title><h1>Not reachable</h1><p>This device cannot reach the server now. Your questions wait there. Try again.</p></html>'
const headers = { 'content-type': 'text/html;charset=utf-8', 'content-security-policy': "default-src 'none'" }
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const { request } = event
  if (request.mode !== 'navigate' || request.method !== 'GET') return
  event.respondWith(fetch(request).catch(() => new Response(offline, { status: 503, headers })))
})
addEventListener('push', (event) => {
  const { title, body, path, tag } = event.data.json()
  event.waitUntil(registration.showNotification(title, { body, tag, renotify: true, icon: '/app/icon.svg', data: { path } }))
})
addEventListener('notificationclick', (event) => {
  event.notification.close()
  const url = new URL(event.notification.data.path, location.origin)
  if (url.origin === location.origin) event.waitUntil(show(url.href))
})
// A window with another page is left alone: its person may be writing there.
async function show(href) {
  const windows = await clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = windows.find(({ url }) => url === href)
  return there ? there.focus() : clients.openWindow(href)
}
`)
