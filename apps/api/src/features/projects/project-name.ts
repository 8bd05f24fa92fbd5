import { brokenUniqueConstraint } from '../../database/failures.ts'
import { ApiError } from '../../shared/api-error.ts'

/**
 * Runs a function that writes a project's name, and converts a violation of the unique constraint to an ApiError. The
 * constraint decides which of two concurrent requests gets a name.
 * @throws ApiError `project_name_taken`.
 */
export const rejectTakenName = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write()
  } catch (error) {
    if (brokenUniqueConstraint(error) !== 'projects_user_id_name_unique') throw error
    throw new ApiError('project_name_taken', 'Another project of this user has this name. Choose a different name.', {
      cause: error,
      errors: [{ in: 'body', pointer: '/name', code: 'invalid_value', message: 'Another project of this user has this name.' }],
    })
  }
}
