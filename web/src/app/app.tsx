import { lazy, Suspense } from 'react'
import { BrowserRouter, Route, Routes } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { openingLink } from '#lib/auth-link.ts'
import { paths } from '#lib/paths.ts'
import { LandingPage } from '#pages/landing-page.tsx'
import { NotFoundPage } from '#pages/not-found-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'

// The client of the backend weighs more than the rest of the app: only these chunks carry it.
const SessionLayout = lazy(() => import('./session-layout.tsx'))
const AuthPage = lazy(() => import('#pages/auth-page.tsx'))
const DashboardPage = lazy(() => import('#pages/dashboard-page.tsx'))

const landing = <Route path={paths.landing} element={<LandingPage />} />
// A confirmation link comes back to the site root: then the landing page needs the client as well.
const landingNeedsSession = openingLink.kind !== 'none'

export function App() {
  return (
    <ErrorBoundary>
      <BrowserRouter>
        <Suspense fallback={<LoadingScreen />}>
          <Routes>
            {landingNeedsSession ? null : landing}
            <Route element={<SessionLayout />}>
              {landingNeedsSession ? landing : null}
              <Route path={paths.auth} element={<AuthPage />} />
              <Route path={paths.dashboard} element={<DashboardPage />} />
            </Route>
            <Route path="*" element={<NotFoundPage />} />
          </Routes>
        </Suspense>
      </BrowserRouter>
    </ErrorBoundary>
  )
}
