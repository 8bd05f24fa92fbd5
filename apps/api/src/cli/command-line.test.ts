import { expect, it } from 'vitest'
import { EmbeddedDatabaseLostError } from '../database/failures.ts'
import { DataFolderError } from '../shared/data-folder.ts'
import { runProgram } from './command-line.ts'

const run = async (error: unknown) => {
  const lines: string[] = []
  const printError = (text: string) => void lines.push(text)
  const code = await runProgram(() => Promise.reject(error), { args: [], env: {}, print: () => {}, printError })
  return { code, lines }
}

const systemError = (code: string) => Object.assign(new Error(`${code}: failed, open '/data/db'`), { code })

it.each([
  ['ENOSPC', "The disk is full, or the disk quota is used up: ENOSPC: failed, open '/data/db'"],
  ['EDQUOT', "The disk is full, or the disk quota is used up: EDQUOT: failed, open '/data/db'"],
  ['EACCES', "The process lacks a permission: EACCES: failed, open '/data/db'"],
  ['EPERM', "The process lacks a permission: EPERM: failed, open '/data/db'"],
  ['EROFS', "The process lacks a permission: EROFS: failed, open '/data/db'"],
])('a command that fails with %s prints one line', async (code, line) => {
  expect(await run(systemError(code))).toEqual({ code: 1, lines: [line] })
})

it('a command prints the message of a data folder error, a lost embedded database, and a full disk of the database', async () => {
  const diskFailure = Object.assign(new Error('No space left on device'), { code: '53100' })
  for (const error of [
    new DataFolderError('/data', systemError('EROFS')),
    new EmbeddedDatabaseLostError(diskFailure.message, { cause: diskFailure }),
  ])
    expect(await run(error)).toEqual({ code: 1, lines: [error.message] })
  const diskFull = Object.assign(new Error('could not extend file "base/5/1259"'), { code: '53100' })
  expect(await run(diskFull)).toEqual({
    code: 1,
    lines: ['The disk of the database is full: could not extend file "base/5/1259"'],
  })
})

it('a command rejects with the error if it is a defect', async () => {
  const error = new TypeError('x is not a function')
  await expect(run(error)).rejects.toBe(error)
})
