#!/usr/bin/env node
// The token recipes of ringonce, with the Node standard library only (Node 20 or newer).
//
// As a module:   import { token } from './ringonce_token.mjs'
// As a program:  node ringonce_token.mjs --notification-id N --recipient-id R
//                node ringonce_token.mjs --vectors ../../clienttoken/testdata/vectors.json
//
// docs/tokens.md gives the rules and the meaning of each error code. Checks run in
// the order that the document gives, so that every language names the same fault.

import { createHash, createHmac } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const RECIPES = ['sha256', 'template', 'message', 'event-id', 'hmac-sha256']
const PLACEHOLDERS = ['notificationId', 'recipientId', 'recallId', 'keySpace']
const PLACEHOLDER = /\{([^{}]*)\}/g
const MAX_LENGTH = 500 // Unicode code points, not the UTF-16 units of String.length
const MIN_KEY_BYTES = 32

/** Why no token was made; code is stable, field names the member at fault. */
export class TokenError extends Error {
  constructor(code, field) {
    super(`${code}: ${field}`)
    this.name = 'TokenError'
    this.code = code
    this.field = field
  }
}

/** Returns the token, or throws TokenError. */
export function token({
  notificationId = '', recipientId = '', recallId = '', keySpace = '', ring = 0,
  recipe = 'sha256', template = '', clientToken = '', eventId = '', key = Buffer.alloc(0),
} = {}) {
  checkOptions(recipe, template, key)
  if (!Number.isSafeInteger(ring)) throw new TypeError('ring is not an integer')
  if (ring < 0) throw new TokenError('ring_negative', 'ring')
  if (keySpace) checkText('keySpace', keySpace)
  if (recipe === 'message') {
    checkPresent('client_token_missing', 'clientToken', clientToken)
    return take(clientToken, 'clientToken', keySpace, ring)
  }
  if (recipe === 'event-id') {
    checkPresent('event_id_missing', 'eventId', eventId)
    return take(eventId, 'eventId', keySpace, ring)
  }

  checkPresent('id_missing', 'notificationId', notificationId)
  checkPresent('id_missing', 'recipientId', recipientId)
  if (recallId) checkText('recallId', recallId)
  if (recipe === 'template') {
    const filled = fill(template, { notificationId, recipientId, recallId, keySpace })
    checkLength('template', filled)
    return atRing(filled, ring)
  }

  let framed = [keySpace, notificationId, recipientId, recallId].filter((part) => part !== '').join('\n')
  if (ring > 0) framed += `\n\n${ring}`
  if (recipe === 'hmac-sha256') return createHmac('sha256', key).update(framed, 'utf8').digest('hex')
  return sha256(framed)
}

function checkOptions(recipe, template, key) {
  if (!RECIPES.includes(recipe)) throw new TokenError('recipe_unknown', 'recipe')
  if (template && recipe !== 'template') throw new TokenError('option_unused', 'template')
  if (key.length > 0 && recipe !== 'hmac-sha256') throw new TokenError('option_unused', 'key')
  if (recipe === 'template') checkTemplate(template)
  if (recipe === 'hmac-sha256') {
    if (key.length === 0) throw new TokenError('hmac_key_missing', 'key')
    if (key.length < MIN_KEY_BYTES) throw new TokenError('hmac_key_too_short', 'key')
  }
}

function checkTemplate(template) {
  if (!template) throw new TokenError('template_missing', 'template')
  if (!template.isWellFormed()) throw new TokenError('template_not_utf8', 'template')
  if (hasControl(template)) throw new TokenError('template_control_character', 'template')
  if (/[{}]/.test(template.replace(PLACEHOLDER, ''))) throw new TokenError('template_malformed', 'template')
  const names = placeholders(template)
  if (names.some((name) => !PLACEHOLDERS.includes(name))) {
    throw new TokenError('template_placeholder_unknown', 'template')
  }
  if (!names.includes('notificationId') || !names.includes('recipientId')) {
    throw new TokenError('template_id_missing', 'template')
  }
}

function placeholders(template) {
  return [...template.matchAll(PLACEHOLDER)].map((match) => match[1])
}

function fill(template, values) {
  const names = placeholders(template)
  if (values.keySpace && !names.includes('keySpace')) throw new TokenError('template_key_space_missing', 'template')
  if (values.recallId && !names.includes('recallId')) throw new TokenError('template_recall_id_missing', 'template')
  for (const name of names) {
    if (!values[name]) throw new TokenError('template_placeholder_empty', name)
  }
  // One pass with a function: a value is neither scanned again nor read as a pattern ("$&").
  return template.replace(PLACEHOLDER, (_, name) => values[name])
}

function take(value, field, keySpace, ring) {
  checkLength(field, value)
  return atRing(keySpace ? sha256(`${keySpace}\n${value}`) : value, ring)
}

function checkLength(field, value) {
  if ([...value].length > MAX_LENGTH) throw new TokenError('token_too_long', field)
}

function atRing(first, ring) {
  return ring > 0 ? sha256(`${first}\n\n${ring}`) : first
}

function checkPresent(code, field, value) {
  if (!value) throw new TokenError(code, field)
  checkText(field, value)
}

function checkText(field, value) {
  // A lone surrogate would be hashed as U+FFFD, and two ids would share a token.
  if (!value.isWellFormed()) throw new TokenError('id_not_utf8', field)
  if (hasControl(value)) throw new TokenError('id_control_character', field)
}

function hasControl(value) {
  return /\p{Cc}/u.test(value)
}

function sha256(text) {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

function resultOf(vector) {
  try {
    const made = token({
      ...vector.input,
      recipe: vector.recipe,
      template: vector.template,
      key: Buffer.from(vector.keyHex ?? '', 'hex'),
    })
    return ['token', made]
  } catch (error) {
    if (error instanceof TokenError) return ['error', error.code]
    throw error
  }
}

/** Returns how many vectors the file holds, or throws at the first mismatch. */
export function checkVectors(path) {
  const { vectors } = JSON.parse(readFileSync(path, 'utf8'))
  if (vectors.length === 0) throw new Error('no vectors')
  for (const vector of vectors) {
    if (('token' in vector) === ('error' in vector)) throw new Error(`${vector.name}: needs a token or an error`)
    const [kind, got] = resultOf(vector)
    if (vector[kind] !== got) {
      throw new Error(`${vector.name}: got ${kind} ${got}, want ${vector.token ?? vector.error}`)
    }
  }
  return vectors.length
}

/** Runs the command line and returns the exit code: 0 done, 1 refused, 2 usage. */
export function main(args) {
  const names = ['notification-id', 'recipient-id', 'recall-id', 'key-space', 'ring', 'recipe', 'template',
    'client-token', 'event-id', 'key-hex', 'vectors']
  let values
  try {
    values = parseArgs({ args, options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }).values
    if (values.ring !== undefined && !/^-?\d+$/.test(values.ring)) throw new Error('--ring is not an integer')
    if (!/^([0-9a-fA-F]{2})*$/.test(values['key-hex'] ?? '')) throw new Error('--key-hex is not hexadecimal')
  } catch (error) {
    console.error(error.message)
    return 2
  }
  try {
    if (values.vectors !== undefined) {
      console.log(`${checkVectors(values.vectors)} vectors ok`)
      return 0
    }
    console.log(token({
      notificationId: values['notification-id'],
      recipientId: values['recipient-id'],
      recallId: values['recall-id'],
      keySpace: values['key-space'],
      ring: Number(values.ring ?? 0),
      recipe: values.recipe,
      template: values.template,
      clientToken: values['client-token'],
      eventId: values['event-id'],
      key: Buffer.from(values['key-hex'] ?? '', 'hex'),
    }))
    return 0
  } catch (error) {
    console.error(error.message)
    return 1
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = main(process.argv.slice(2))
}
