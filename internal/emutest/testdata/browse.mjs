// Drives the page of the emulator in Chromium and prints what it saw, as JSON. Arguments: a scene, the address of the page, the address
// that places calls, the browser, a folder for its profile and one for pictures.
import { chromium } from 'playwright-core'

const [scene, url, hook, executablePath, profile, pictures] = process.argv.slice(2)
const args = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]
const complaints = []
const foreign = []

async function open(options) {
  const context = await chromium.launchPersistentContext(`${profile}/${Object.values(options).join('-')}`, { executablePath, args, headless: true, ...options })
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(15_000)
  page.on('console', (m) => m.type() === 'error' && complaints.push(m.text()))
  page.on('pageerror', (e) => complaints.push(String(e)))
  page.on('request', (r) => r.url().startsWith(url) || foreign.push(r.url()))
  return { context, page }
}

// read is what the page shows.
const read = (page) =>
  page.evaluate(() => {
    const count = (id) => Number(document.getElementById(id).textContent)
    return {
      rings: count('rings'), ringing: count('ringing'), answered: count('answered'), twice: count('twice'),
      phones: [...document.querySelectorAll('.phone')].map((p) => ({
        number: p.querySelector('.number').textContent,
        state: p.dataset.state,
        word: p.querySelector('.state').textContent.trim().split(/\s/)[0],
        icon: p.querySelector('.state svg') !== null,
        color: getComputedStyle(p).backgroundColor,
        rang: p.querySelector('.rang').textContent,
      })),
      contacts: [...document.querySelectorAll('#contacts tbody tr')].map((r) => r.cells[0].textContent),
      tokens: [...document.querySelectorAll('#tokens tbody tr')].map((r) => [r.cells[0].textContent, Number(r.cells[1].textContent)]),
      rules: [...document.querySelectorAll('#faults tbody tr')].map((r) => [r.cells[0].textContent, Number(r.cells[1].textContent)]),
      nameless: [...document.querySelectorAll('button, input:not([type=hidden]), select, textarea')].filter(
        (e) => !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)),
      ).length,
    }
  })

const call = async (number) => { const r = await fetch(`${hook}?number=${encodeURIComponent(number)}`); if (!r.ok) throw new Error(await r.text()) }
const tile = (page, number, state) => page.waitForSelector(`.phone[data-number="${number}"][data-state="${state}"]`)
const alarm = '+819000000091'

// withScript answers and hangs up from the keyboard, while other phones ring.
async function withScript() {
  const seen = {}
  const { context, page } = await open({ colorScheme: 'light', viewport: { width: 1280, height: 900 } })
  await page.goto(url)
  await page.waitForFunction(() => document.getElementById('liveness').textContent === 'live')
  seen.empty = await page.textContent('.phones, #live section .empty')
  await call(alarm)
  await tile(page, alarm, 'ringing')
  await call('+819000000001')
  await tile(page, '+819000000001', 'ringing')
  await page.waitForFunction(() => document.title.startsWith('2 rings'))
  seen.ringing = await read(page)
  await page.screenshot({ path: `${pictures}/light.png`, fullPage: true })

  await page.keyboard.press('Tab')
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.id.startsWith('answer-'))); i++) await page.keyboard.press('Tab')
  seen.focused = await page.evaluate(() => document.activeElement.getAttribute('aria-label'))
  await page.keyboard.press('Enter')
  await tile(page, alarm, 'answered')
  seen.answered = await read(page)
  seen.stillHere = page.url()
  await page.focus(`.phone[data-number="${alarm}"] button.end`)
  await call('+12025550190') // the page changes under the focus
  await tile(page, '+12025550190', 'ringing')
  seen.focusKept = await page.evaluate(() => document.activeElement.getAttribute('aria-label'))
  await page.keyboard.press('Enter')
  await tile(page, alarm, 'quiet')

  await page.fill('#plan', 'lose-event; place-then-nothing')
  await page.click('text=Use this plan')
  await page.waitForSelector('#problem:not([hidden])')
  seen.problem = await page.textContent('#problem')
  seen.kept = await page.inputValue('#plan')
  await page.fill('#plan', 'place-then-500 nth=9\nlose-event event=COMPLETED')
  await page.click('text=Use this plan')
  await page.waitForSelector('#faults tbody tr')
  await page.fill('#number', '+447700900001')
  await page.selectOption('#fate', 'voicemail')
  await page.click('text=Set the phone')
  await tile(page, '+447700900001', 'quiet')
  await page.fill('#advance', '2h')
  await page.click('text=Move the clock')
  await page.waitForFunction(() => document.getElementById('ringing').textContent === '0' && document.getElementById('liveness').textContent === 'live')
  seen.end = await read(page)
  await page.setViewportSize({ width: 400, height: 900 })
  await page.screenshot({ path: `${pictures}/narrow.png`, fullPage: true })
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 1280, height: 900 })
  await call(alarm)
  await tile(page, alarm, 'ringing')
  await page.screenshot({ path: `${pictures}/dark.png`, fullPage: true })
  await page.click('text=Pause')
  await page.waitForSelector('text=This page is paused.')
  const before = await read(page)
  await call('+819000000001')
  await page.waitForTimeout(1500)
  seen.paused = before.rings === (await read(page)).rings
  await context.close()
  return seen
}

// withoutScript does the same with forms alone.
async function withoutScript() {
  const seen = {}
  const { context, page } = await open({ javaScriptEnabled: false })
  await call(alarm)
  await page.goto(url)
  seen.refresh = await page.getAttribute('meta[http-equiv=refresh]', 'content')
  await page.click('button.go')
  await tile(page, alarm, 'answered')
  await page.click('text=Pause')
  await page.waitForSelector('text=This page is paused.')
  seen.pausedRefresh = await page.locator('meta[http-equiv=refresh]').count()
  await page.fill('#plan', 'slow')
  await page.click('text=Use this plan')
  seen.problem = await page.textContent('#problem')
  seen.kept = await page.inputValue('#plan')
  await page.fill('#plan', 'throttle nth=9')
  await page.click('text=Use this plan')
  seen.url = page.url()
  seen.plan = await page.inputValue('#plan')
  await page.click('button.end')
  await tile(page, alarm, 'quiet')
  await context.close()
  return seen
}

// look reads the page once.
async function look() {
  const { context, page } = await open({ viewport: { width: 1400, height: 900 } })
  await page.goto(`${url}/?pause=1`)
  const seen = { end: await read(page) }
  await page.screenshot({ path: `${pictures}/look.png`, fullPage: true })
  await context.close()
  return seen
}

const seen = await { withScript, withoutScript, look }[scene]()
console.log(JSON.stringify({ ...seen, complaints, foreign }))
