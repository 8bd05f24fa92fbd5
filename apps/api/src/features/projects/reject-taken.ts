import { keyTaken, projectNameTaken } from '@flowpost/contract/rules'
import { brokenUniqueConstraint } from '../../database/failures.ts'
import type { ApiError } from '../../shared/api-error.ts'

const conflicts: Readonly<Record<string, (cause: unknown, prefix: string) => ApiError>> = {
  projects_user_id_name_unique: (cause, prefix) => projectNameTaken({ cause, prefix }),
  projects_user_id_key_unique: (cause, prefix) => keyTaken('project', { cause, prefix }),
  flows_project_id_key_unique: (cause) => keyTaken('flow', { cause }),
  event_endpoints_project_id_key_unique: (cause) => keyTaken('event endpoint', { cause }),
}

/**
 * Runs a function that writes a name or a key, and converts a unique constraint violation to an ApiError. The
 * constraint decides which of several concurrent requests gets the name or key.
 * @param prefix the JSON Pointer to the resource in the body.
 * @throws ApiError `project_name_taken` or `key_taken`.
 */
export const rejectTaken = async <T>(write: () => Promise<T>, prefix = ''): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    throw conflicts[brokenUniqueConstraint(error) ?? '']?.(error, prefix) ?? error
  }
}
