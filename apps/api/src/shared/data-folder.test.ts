import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DataFolderError, prepareDataFolder } from './data-folder.ts'

const createFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-folder-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

const prepare = async (path: string): Promise<string[]> => {
  const warnings: string[] = []
  const warn = (fields: object, message: string) => void warnings.push(`${JSON.stringify(fields)} ${message}`)
  await prepareDataFolder(path, { warn } as never)
  return warnings
}

test('creates a data folder and its parents with access for the owner only', async () => {
  const parent = join(await createFolder(), 'a')
  expect(await prepare(join(parent, 'b'))).toEqual([])
  expect([await modeOf(parent), await modeOf(join(parent, 'b'))]).toEqual(['700', '700'])
})

test.each([0o755, 0o750, 0o701])(
  'warns about an existing folder with mode %o, names the chmod command, and leaves the mode unchanged',
  async (mode) => {
    const path = join(await createFolder(), "the owner's")
    await mkdir(path)
    await chmod(path, mode)
    const [warning, ...more] = await prepare(path)

    expect(warning).toContain(`chmod 700 '${path.replace("'", `'\\''`)}'`)
    expect(warning).toContain(`"mode":"0${mode.toString(8)}"`)
    expect(more).toEqual([])
    expect(await modeOf(path)).toBe(mode.toString(8))
  },
)

test('says which folder cannot be written to, why, and which settings help', async () => {
  const file = join(await createFolder(), 'file')
  await writeFile(file, '')
  const failed = prepare(join(file, 'data'))

  await expect(failed).rejects.toThrow(DataFolderError)
  await expect(failed).rejects.toThrow(
    /^The server cannot write to its data folder .+file\/data: ENOTDIR: .+ Set FLOWPOST_DATA_DIR .+ or set DATABASE_URL /,
  )
})
