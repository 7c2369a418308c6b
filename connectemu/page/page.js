// Keeps the page live. Without this script the page reloads itself and every form works all the same.
'use strict'
{
  const live = document.getElementById('live')
  const liveness = document.getElementById('liveness')
  const problem = document.getElementById('problem')

  // busy is true while somebody chooses or writes inside the live part: nothing may move under their hands.
  const busy = () => live.contains(document.activeElement) && /^(SELECT|INPUT|TEXTAREA)$/.test(document.activeElement.tagName)

  const show = (html) => {
    if (busy()) return
    const focused = live.contains(document.activeElement) ? document.activeElement.id : ''
    live.innerHTML = html
    if (focused) (document.getElementById(focused) ?? live).focus({ preventScroll: true })
    document.title = document.getElementById('rings').textContent + ' rings: Amazon Connect, emulated'
  }

  live.tabIndex = -1
  const source = new EventSource('/page/live')
  source.addEventListener('live', (event) => show(event.data))
  source.addEventListener('open', () => { liveness.textContent = 'live' })
  source.addEventListener('error', () => { liveness.textContent = 'the emulator does not answer' })

  // The buttons of the phones act in place, so that the keyboard stays where it is.
  live.addEventListener('submit', async (event) => {
    event.preventDefault()
    const form = event.target
    const answer = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { Accept: 'text/plain' } })
    problem.textContent = answer.ok ? '' : await answer.text()
    problem.hidden = answer.ok
  })
}
